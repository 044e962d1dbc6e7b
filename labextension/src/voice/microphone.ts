// Microphone as a stream of samples for speech recognition.

/** Hz of what is sent. */
const SAMPLE_RATE = 16_000;

/** Samples sent at once: a tenth of a second. */
const AT_ONCE = 1_600;

/** Runs on the audio thread, so it is a text: samples, some of which make one of ours, become 16-bit numbers in blocks. */
const WORKLET = `registerProcessor('spark-samples', class extends AudioWorkletProcessor {
  constructor() { super(); this.block = new Int16Array(${AT_ONCE}); this.size = 0; this.sum = 0; this.count = 0; this.due = 0; }
  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.sum += sample;
      this.count += 1;
      this.due += ${SAMPLE_RATE};
      if (this.due >= sampleRate) {
        this.block[this.size++] = Math.max(-1, Math.min(1, this.sum / this.count)) * 32767;
        this.due -= sampleRate;
        this.sum = this.count = 0;
      }
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
  try {
    // Firefox gives a context no stream of another rate.
    const context = await listen(stream, onSound, { sampleRate: SAMPLE_RATE }).catch(() => listen(stream, onSound, {}));
    return {
      close: () => {
        stop(stream);
        void context.close();
      }
    };
  } catch (error) {
    stop(stream);
    throw error;
  }
}

async function listen(stream: MediaStream, onSound: (samples: ArrayBuffer) => void, options: AudioContextOptions): Promise<AudioContext> {
  const context = new AudioContext(options);
  const url = URL.createObjectURL(new Blob([WORKLET], { type: 'text/javascript' }));
  try {
    await context.audioWorklet.addModule(url);
    const samples = new AudioWorkletNode(context, 'spark-samples');
    samples.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => onSound(data);
    context.createMediaStreamSource(stream).connect(samples);
    return context;
  } catch (error) {
    void context.close();
    throw error;
  } finally {
    URL.revokeObjectURL(url);
  }
}

function stop(stream: MediaStream): void {
  stream.getTracks().forEach(track => track.stop());
}
