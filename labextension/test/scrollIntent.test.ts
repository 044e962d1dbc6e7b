import { describe, expect, it } from 'vitest';
import { ScrollIntent, HANDS_ON } from '../src/scrollIntent';

describe('the end of what is being written', () => {
  it('is followed until the user looks somewhere else', () => {
    const following = new ScrollIntent();
    expect(following.follows(0)).toBe(true);
    following.moved(1000);
    following.scrolled(1010, () => false);
    expect(following.follows(1010 + HANDS_ON)).toBe(false);
  });

  it('is not jumped to between a turn of the wheel and the scroll that follows from it', () => {
    const following = new ScrollIntent();
    following.moved(1000);
    expect(following.follows(1001)).toBe(false);
    expect(following.follows(1000 + HANDS_ON)).toBe(true);
  });

  it('is not jumped to while a smooth scroll goes on', () => {
    const following = new ScrollIntent();
    following.moved(1000);
    for (let at = 1000; at < 1000 + 3 * HANDS_ON; at += 16) {
      following.scrolled(at, () => at < 1100);
      expect(following.follows(at)).toBe(false);
    }
    expect(following.follows(1000 + 5 * HANDS_ON)).toBe(false);
  });

  it('is followed again where the user comes back to it, and in the next turn', () => {
    const following = new ScrollIntent();
    following.moved(1000);
    following.scrolled(1000, () => false);
    following.moved(5000);
    following.scrolled(5010, () => true);
    expect(following.follows(5010 + HANDS_ON)).toBe(true);
    following.moved(9000);
    following.scrolled(9010, () => false);
    following.restart();
    expect(following.follows(9020)).toBe(true);
  });

  it('is left where the user types somewhere else, and followed again where they look for it', () => {
    const following = new ScrollIntent();
    following.left();
    expect(following.follows(5000)).toBe(false);
    following.moved(6000);
    following.scrolled(6010, () => true);
    expect(following.follows(6010 + HANDS_ON)).toBe(true);
  });

  it('takes no scroll of the page itself for the user’s', () => {
    const following = new ScrollIntent();
    following.scrolled(1000, () => false);
    expect(following.follows(1001)).toBe(true);
  });
});
