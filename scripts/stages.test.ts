import { describe, expect, test, vi } from 'vitest';
import { cheapStages, runStages, testStages } from './stages.mjs';

const stage = (name: string, code: number, ran: string[], isCheap = false) => ({
  name,
  title: name,
  isCheap,
  run: async () => {
    ran.push(name);
    return code;
  },
});

describe('runStages', () => {
  test('runStages runs every cheap stage after a failure, leaves out the others, and answers with the first failure', async () => {
    const print = vi.spyOn(console, 'log').mockReturnValue();
    const ran: string[] = [];
    const code = await runStages([
      stage('words', 3, ran, true),
      stage('lint', 0, ran, true),
      stage('types', 2, ran, true),
      stage('tests', 0, ran),
    ]);
    const printed = print.mock.calls.join('\n');
    print.mockRestore();
    expect(code).toBe(3);
    expect(ran).toEqual(['words', 'lint', 'types']);
    expect(printed).toMatch(/✖ {2}words.*\n.*✔ {2}lint.*\n.*✖ {2}types.*\n.*tests \(not run\)/);
  });

  test('runStages has the tests behind all of the cheap stages', () => {
    expect(testStages([]).map(({ name }) => name)).toEqual([...cheapStages.map(({ name }) => name), 'tests']);
  });
});
