"""Speech made by flite, a program of Debian's, as sound for the recogniser."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
import wave
from pathlib import Path

import numpy as np
import pytest

RATE = 16_000
SILENCE = b"\0\0" * (RATE // 2)
needs_flite = pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed: make browser, as root")


def speak(text: str, *, noise: float = 0.0, voice: str = "rms") -> bytes:
    """The text as 16-bit samples, with half a second of silence around it. ``noise``: its loudness beside the speech's."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "said.wav")
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(file)], check=True, timeout=120)
        with wave.open(str(file)) as read:
            assert read.getframerate() == RATE
            spoken = np.frombuffer(read.readframes(read.getnframes()), "<i2")
    sound = np.concatenate([np.frombuffer(SILENCE, "<i2"), spoken, np.frombuffer(SILENCE, "<i2")]).astype(float)
    loudness = np.sqrt(np.mean(spoken.astype(float) ** 2))
    sound += np.random.default_rng(0).normal(0, loudness * noise, len(sound))
    return np.clip(sound, -32768, 32767).astype("<i2").tobytes()


def wav(sound: bytes) -> bytes:
    """Samples as a WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(RATE)
        written.writeframes(sound)
    return file.getvalue()
