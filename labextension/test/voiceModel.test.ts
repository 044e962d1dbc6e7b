// Speaking to the prompt box: what becomes of what is heard.

import { PageConfig } from '@jupyterlab/coreutils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LocalRecogniser, NO_NAMES } from '../src/voice/recogniser';
import { spokenCommand } from '../src/voice/spokenCommands';
import { type VoiceEngine, VoiceModel } from '../src/voice/voiceModel';

let done: string[];
let engine: VoiceEngine;
let prompt: { draft: string; isStreaming: boolean; send(): Promise<void>; stop(): void };
let voice: VoiceModel;

beforeEach(() => {
  done = [];
  engine = 'server';
  prompt = {
    draft: '',
    isStreaming: false,
    send: () => {
      done.push(`send ${prompt.draft}`);
      prompt.draft = '';
      return Promise.resolve();
    },
    stop: () => void done.push('stop')
  };
  voice = new VoiceModel(prompt, { execute: command => void done.push(command), names: () => Promise.resolve(NO_NAMES), engine: () => engine });
});

it('shows words while they are said, and keeps whole utterances', () => {
  voice.partial('average');
  voice.partial('average price');
  expect(prompt.draft).toBe('average price');
  voice.whole('average price by region');
  voice.partial('as a');
  expect(prompt.draft).toBe('average price by region as a');
  expect(done).toEqual([]);
});

it('keeps what is typed while somebody speaks', () => {
  voice.whole('average price');
  prompt.draft = 'median price';
  voice.partial('by region');
  expect(prompt.draft).toBe('median price by region');
  prompt.draft = 'median price of each region';
  voice.whole('as a line');
  expect(prompt.draft).toBe('median price of each region as a line');
});

it.each([
  ['stop', ['stop']],
  ['Undo that.', ['spark:undo-run']],
  ['run it', ['spark:run']]
])('does %s at once, and leaves the words in the box', (said, does) => {
  voice.whole('average price');
  voice.partial('run');
  voice.whole(said);
  expect(done).toEqual(does);
  expect(prompt.draft).toBe('average price');
});

it('sends what stands in the box', () => {
  voice.whole('average price');
  voice.whole('send it');
  expect(done).toEqual(['send average price']);
  voice.whole('by region');
  expect(prompt.draft).toBe('by region');
});

it('steers an answer that is written', () => {
  prompt.isStreaming = true;
  voice.whole('no horizontal');
  expect(done).toEqual(['send no horizontal']);
});

it('is there where somebody recognises speech', () => {
  expect(voice.available).toBe(false);
  PageConfig.setOption('sparkVoice', 'true');
  expect(voice.available).toBe(true);
  engine = 'off';
  expect(voice.available).toBe(false);
  PageConfig.setOption('sparkVoice', '');
});

it('takes a command only where it is all that was said', () => {
  expect(spokenCommand('undo the last filter')).toBeNull();
  expect(spokenCommand('stop words of the text')).toBeNull();
  expect(spokenCommand('constructor')).toBeNull();
  expect(spokenCommand('accepté')).toBeNull();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('says so where the last words do not come', () => {
  vi.useFakeTimers();
  class Socket {
    onclose: () => void = () => {};
    send(): void {}
    close(): void {
      this.onclose();
    }
  }
  vi.stubGlobal('WebSocket', Socket);
  vi.stubGlobal('window', globalThis);
  const ends: string[] = [];
  new LocalRecogniser(Promise.resolve(NO_NAMES), { onPartial: () => {}, onWhole: () => {}, onEnd: reason => ends.push(reason) }).finish();
  expect(ends).toEqual([]);
  vi.runAllTimers();
  expect(ends).toEqual(['Speech recognition took too long. Press the microphone and say it again.']);
});
