import { describe, expect, it } from 'vitest';
import { Place } from '../src/place';

describe('the place below which new cells go', () => {
  it('is the end of the last answer, as long as the user has not moved', () => {
    const place = new Place();
    expect(place.next(['a'])).toBeNull();
    place.asked('x', 'x');
    expect(place.next(['a', 'b'])).toBe('b');
    place.wentTo('x', ['a', 'b']);
    place.wentTo('a', ['a', 'b']);
    expect(place.next(['a', 'b'])).toBe('b');
    place.wentTo('y', ['a', 'b']);
    expect(place.next(['a', 'b'])).toBeNull();
    place.wentTo('x', ['a', 'b']);
    expect(place.next(['a', 'b'])).toBeNull();
  });

  it('is not left where Spark itself goes on to the next cell', () => {
    const place = new Place();
    place.asked('x', 'x');
    place.carriedTo('y');
    place.wentTo('y', ['a']);
    expect(place.next(['a'])).toBe('a');
  });

  it('is where an answer without cells would have gone', () => {
    const place = new Place();
    place.asked('x', 'a');
    expect(place.next([])).toBe('a');
  });
});
