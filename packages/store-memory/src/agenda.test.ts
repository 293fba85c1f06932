import { describe, expect, test } from 'vitest';
import { Agenda } from './agenda.js';

describe('an agenda', () => {
  test('an agenda returns keys due at one instant in the order in which they were set', () => {
    const agenda = new Agenda<string>();
    for (const key of ['a', 'b', 'c']) agenda.set(key, 5);
    agenda.set('a', 5);

    expect(agenda.take(5, 9)).toEqual(['b', 'c', 'a']);
  });

  test('a moved key keeps its order among keys due at one instant', () => {
    const agenda = new Agenda<string>();
    for (const key of ['a', 'b', 'c']) agenda.set(key, 5);
    agenda.move('b', 7);
    agenda.move('a', 7);
    agenda.set('d', 7);

    expect(agenda.take(4, 9)).toEqual([]);
    expect(agenda.take(7, 9)).toEqual(['c', 'a', 'b', 'd']);
    expect(agenda.next()).toBeNull();
  });

  test('an agenda returns the earliest key first after many resets', () => {
    const agenda = new Agenda<number>();
    const keys = [3, 9, 1, 7, 5, 2, 8, 0, 6, 4];
    for (let round = 0; round < 40; round += 1) {
      for (const key of keys) agenda.set(key, round * 10 + ((key * 7 + round) % 10));
      expect(agenda.next()).toBe(round * 10);
    }

    const given = agenda.take(2_000, 99);
    expect(given.map((key) => (key * 7 + 39) % 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('an agenda returns the earliest key first after any single reset', () => {
    for (let times = 0; times < 200; times += 1) {
      const agenda = new Agenda<number>();
      for (let key = 0; key < 10; key += 1) agenda.set(key, 100 - key);
      for (let time = 0; time < times; time += 1) agenda.set(0, 500 + time);

      expect(agenda.next()).toBe(91);
      expect(agenda.take(999, 99)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    }
  });

  test('an agenda skips keys that were removed or moved, also at the front', () => {
    const agenda = new Agenda<number>();
    for (let key = 0; key < 200; key += 1) agenda.set(key, 300 - key);
    for (let key = 100; key < 200; key += 1) agenda.delete(key);
    for (let key = 0; key < 50; key += 1) agenda.set(key, 400 + key);

    expect(agenda.next()).toBe(201);
    expect(agenda.take(300, 3)).toEqual([99, 98, 97]);
    expect(agenda.take(300, 99)).toHaveLength(47);
    expect(agenda.take(400, 99)).toEqual([0]);
  });
});
