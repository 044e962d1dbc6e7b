// Microphone as a stream of samples for speech recognition.

/** Hz; the browser converts to it. */
const SAMPLE_RATE = 16_000;

/** Samples sent at once: a tenth of a second. */
const AT_ONCE = 1_600;

/** Runs on the audio thread, so it is a text: samples in blocks of 128 become 16-bit numbers. */
const WORKLET = `registerProcessor('spark-samples', class extends AudioWorkletProcessor {
  constructor() { super(); this.block = new Int16Array(${AT_ONCE}); this.size = 0; }
  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.block[this.size++] = Math.max(-1, Math.min(1, sample)) * 32767;
      if (this.size === ${AT_ONCE}) { this.port.postMessage(this.block.slice().buffer); this.size = 0; }
    }
    return true;
  }
});`;

/** An open microphone. */
export interface Microphone {
  close(): void;
}

/** Open the microphone; `onSound` gets 16-bit samples. Rejects where the person or the browser does not allow it. */
export async function openMicrophone(onSound: (samples: ArrayBuffer) => void): Promise<Microphone> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } });
  const context = new AudioContext({ sampleRate: SAMPLE_RATE });
  const close = () => {
    stream.getTracks().forEach(track => track.stop());
    void context.close();
  };
  const url = URL.createObjectURL(new Blob([WORKLET], { type: 'text/javascript' }));
  try {
    await context.audioWorklet.addModule(url);
    const samples = new AudioWorkletNode(context, 'spark-samples');
    samples.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => onSound(data);
    context.createMediaStreamSource(stream).connect(samples);
  } catch (error) {
    close();
    throw error;
  } finally {
    URL.revokeObjectURL(url);
  }
  return { close };
}
