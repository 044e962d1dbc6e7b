import { describe, expect, it } from 'vitest';
import { FrameRate } from '../src/frameRate';

function after(frames: readonly number[]): FrameRate {
  const pace = new FrameRate();
  frames.forEach(took => pace.learn(took));
  return pace;
}

const many = (took: number): number[] => Array.from({ length: 30 }, () => took);

describe('the pace of writing', () => {
  it('is kept while frames come in time', () => {
    expect(after(many(16.7)).slow).toBe(false);
  });

  it('is taken back while frames take too long, however long they take', () => {
    expect(after(many(30)).slow).toBe(true);
    expect(after(many(400)).slow).toBe(true);
  });

  it('leaves every second frame out where frames take too long, and more where they take much too long', () => {
    expect(after(many(16.7)).rest).toBe(0);
    expect(after(many(25)).rest).toBe(1);
    expect(after(many(33)).rest).toBe(1);
    expect(after(many(66)).rest).toBe(3);
    expect(after(many(5000)).rest).toBe(5);
  });

  it('is taken up again when frames come in time, soon after a hiccup too', () => {
    expect(after([...many(30), ...many(16.7)]).slow).toBe(false);
    expect(after([5000, ...many(16.7)]).slow).toBe(false);
  });

  it('does not go to and fro between two frames', () => {
    const pace = after(many(30));
    pace.learn(19);
    expect(pace.slow).toBe(true);
  });
});
