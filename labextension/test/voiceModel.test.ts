// Speaking to the prompt box: what becomes of what is heard.

import { PageConfig } from '@jupyterlab/coreutils';
import { beforeEach, expect, it } from 'vitest';
import { NO_NAMES } from '../src/voice/recogniser';
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
  voice.onPartial('average');
  voice.onPartial('average price');
  expect(prompt.draft).toBe('average price');
  voice.onWhole('average price by region');
  voice.onPartial('as a');
  expect(prompt.draft).toBe('average price by region as a');
  expect(done).toEqual([]);
});

it.each([
  ['stop', ['stop']],
  ['Undo that.', ['spark:undo-run']],
  ['run it', ['spark:run']]
])('does %s at once, and leaves the words in the box', (said, does) => {
  voice.onWhole('average price');
  voice.onPartial('run');
  voice.onWhole(said);
  expect(done).toEqual(does);
  expect(prompt.draft).toBe('average price');
});

it('sends what stands in the box', () => {
  voice.onWhole('average price');
  voice.onWhole('send it');
  expect(done).toEqual(['send average price']);
  voice.onWhole('by region');
  expect(prompt.draft).toBe('by region');
});

it('steers an answer that is written', () => {
  prompt.isStreaming = true;
  voice.onWhole('no horizontal');
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
});
