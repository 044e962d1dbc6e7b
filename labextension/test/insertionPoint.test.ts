import { describe, expect, it } from 'vitest';
import { InsertionPoint } from '../src/insertionPoint';

const all = () => true;

describe('the place below which new cells go', () => {
  it('is the end of the last answer, as long as the user has not moved', () => {
    const place = new InsertionPoint();
    expect(place.next(['a'], all)).toBeNull();
    place.asked('x', 'x');
    expect(place.next(['a', 'b'], all)).toBe('b');
    place.wentTo('x', ['a', 'b']);
    place.wentTo('a', ['a', 'b']);
    expect(place.next(['a', 'b'], all)).toBe('b');
    place.wentTo('y', ['a', 'b']);
    expect(place.next(['a', 'b'], all)).toBeNull();
    place.wentTo('x', ['a', 'b']);
    expect(place.next(['a', 'b'], all)).toBeNull();
  });

  it('is not left where Spark itself goes on to the next cell', () => {
    const place = new InsertionPoint();
    place.asked('x', 'x');
    place.carriedTo('y');
    place.wentTo('y', ['a']);
    expect(place.next(['a'], all)).toBe('a');
  });

  it('is where an answer without cells would have gone', () => {
    const place = new InsertionPoint();
    place.asked('x', 'a');
    expect(place.next([], all)).toBe('a');
  });

  it('is the end of the answer before, where all of the last one was taken back and what it was to go below too', () => {
    const place = new InsertionPoint();
    place.asked('x', 'x');
    place.asked('x', 'a');
    place.asked('x', 'b');
    expect(place.next([], cell => cell !== 'b')).toBe('a');
    place.wentTo('y', []);
    place.asked('y', 'c');
    expect(place.next([], cell => cell !== 'c')).toBeNull();
  });
});
