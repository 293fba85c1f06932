import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Agenda } from './agenda.js';

test('the agenda returns events by time, and in order of insertion at equal times', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5)), (times) => {
      const agenda = new Agenda<{ at: number; order: number }>();
      for (const [order, at] of times.entries()) agenda.put(at, { at, order });

      const taken = times.map(() => agenda.take());

      expect(taken).toEqual(
        times
          .map((at, order) => ({ at, order }))
          .sort((one, other) => one.at - other.at || one.order - other.order),
      );
      expect(agenda.take()).toBeUndefined();
      expect(agenda.nextAt).toBe(Number.POSITIVE_INFINITY);
    }),
  );
});
