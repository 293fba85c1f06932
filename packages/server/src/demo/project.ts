type Files = Readonly<Record<string, string>>;

export interface DemoPullRequest {
  readonly branch: string;
  readonly title: string;
  readonly author: string;
  /** What it demonstrates. */
  readonly role: string;
  /** Full contents of the files that it writes. */
  readonly files: Files;
  readonly expected: {
    readonly state: 'merged' | 'failed';
    readonly reason: string;
  };
}

const test = (imports: string, body: string): string =>
  `import assert from 'node:assert/strict';\nimport test from 'node:test';\n${imports}\n\n${body}\n`;

const shippingTest = (freeFrom: number): string =>
  test(
    `import { shipping } from '../src/shipping.js';`,
    `test('a small order pays for shipping', () => assert.equal(shipping(${freeFrom - 1}), 490));
test('a large order does not', () => assert.equal(shipping(${freeFrom}), 0));`,
  );

const formatTest = (text: string): string =>
  test(
    `import { format } from '../src/format.js';`,
    `test('a price is written with two digits', () => assert.equal(format(1250), '${text}'));`,
  );

/** A small shop in plain JavaScript. Amounts are cents. Its tests need nothing but Node. */
export const projectFiles: Files = {
  'package.json': `${JSON.stringify({ name: 'shop', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'src/basket.js':
    'export const total = (items) => items.reduce((sum, { price, count }) => sum + price * count, 0);\n',
  'test/basket.test.js': test(
    `import { total } from '../src/basket.js';`,
    `test('the total counts every piece', () => {
  assert.equal(total([{ price: 250, count: 2 }, { price: 999, count: 1 }]), 1499);
});`,
  ),
  'src/shipping.js': 'export const shipping = (total) => (total >= 5000 ? 0 : 490);\n',
  'test/shipping.test.js': shippingTest(5000),
  'src/format.js': `export const format = (cents) => \`\${(cents / 100).toFixed(2)} EUR\`;\n`,
  'test/format.test.js': formatTest('12.50 EUR'),
  'src/retry.js': `/** Tries again with growing pauses: the payment provider is not always there. */
export const retry = async (attempt, { tries = 4, pauseMs = 100 } = {}) => {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt(count);
    } catch (error) {
      if (count === tries) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** (count - 1)));
    }
  }
};
`,
  'test/retry.test.js': test(
    `import { retry } from '../src/retry.js';`,
    `const failingUntil = (last) => async (count) => {
  if (count < last) throw new Error('not yet');
  return count;
};

test('it goes on until it works', async () => assert.equal(await retry(failingUntil(4)), 4));
test('it gives up in the end', async () => assert.rejects(retry(failingUntil(9)), /not yet/));`,
  ),
};

const merged = { state: 'merged', reason: 'MERGE_GRAPH_MERGE' } as const;
const failed = { state: 'failed', reason: 'TEST_RUN_REQUIRED_STATUS_FAILED' } as const;

/** In the order of submission; the first is #1. */
export const pullRequests: readonly DemoPullRequest[] = [
  {
    branch: 'discounts',
    title: 'Give discounts in percent',
    author: 'Ada',
    role: 'good',
    files: {
      'src/discount.js':
        'export const discount = (total, percent) => Math.round((total * (100 - percent)) / 100);\n',
      'test/discount.test.js': test(
        `import { discount } from '../src/discount.js';`,
        `test('ten percent off', () => assert.equal(discount(999, 10), 899));`,
      ),
    },
    expected: merged,
  },
  {
    branch: 'count-pieces',
    title: 'Count the pieces in a basket',
    author: 'Ben',
    role: 'good',
    files: {
      'src/pieces.js': 'export const pieces = (items) => items.reduce((sum, { count }) => sum + count, 0);\n',
      'test/pieces.test.js': test(
        `import { pieces } from '../src/pieces.js';`,
        `test('every piece counts', () => assert.equal(pieces([{ count: 2 }, { count: 3 }]), 5));`,
      ),
    },
    expected: merged,
  },
  {
    branch: 'free-shipping',
    title: 'Ship for free from 40 euros on',
    author: 'Cleo',
    role: 'passes alone, fails together with #5',
    files: {
      'src/shipping.js': 'export const shipping = (total) => (total >= 4000 ? 0 : 490);\n',
      'test/shipping.test.js': shippingTest(4000),
    },
    expected: merged,
  },
  {
    branch: 'sort-by-price',
    title: 'Sort the basket by price',
    author: 'Dan',
    role: 'its own test fails',
    files: {
      'src/sort.js': 'export const cheapestFirst = (prices) => [...prices].sort();\n',
      'test/sort.test.js': test(
        `import { cheapestFirst } from '../src/sort.js';`,
        `test('nine euros come before ten', () => assert.deepEqual(cheapestFirst([1000, 900]), [900, 1000]));`,
      ),
    },
    expected: failed,
  },
  {
    branch: 'receipts',
    title: 'Print receipts with shipping',
    author: 'Eve',
    role: 'passes alone, fails together with #3',
    files: {
      'src/receipt.js': `import { total } from './basket.js';
import { shipping } from './shipping.js';

export const receipt = (items) => ({ goods: total(items), shipping: shipping(total(items)) });
`,
      'test/receipt.test.js': test(
        `import { receipt } from '../src/receipt.js';`,
        `test('a receipt for 45 euros lists shipping', () => {
  assert.deepEqual(receipt([{ price: 1500, count: 3 }]), { goods: 4500, shipping: 490 });
});`,
      ),
    },
    expected: failed,
  },
  {
    branch: 'decimal-comma',
    title: 'Write prices with a comma',
    author: 'Finn',
    role: 'conflicts with #7',
    files: {
      'src/format.js': `export const format = (cents) => \`\${(cents / 100).toFixed(2).replace('.', ',')} EUR\`;\n`,
      'test/format.test.js': formatTest('12,50 EUR'),
    },
    expected: merged,
  },
  {
    branch: 'currency-first',
    title: 'Write the currency first',
    author: 'Gus',
    role: 'conflicts with #6',
    files: {
      'src/format.js': `export const format = (cents) => \`EUR \${(cents / 100).toFixed(2)}\`;\n`,
      'test/format.test.js': formatTest('EUR 12.50'),
    },
    expected: { state: 'failed', reason: 'START_TEST_RUN_MERGE_CONFLICT' },
  },
  {
    branch: 'gift-wrapping',
    title: 'Offer gift wrapping',
    author: 'Hal',
    role: 'good',
    files: {
      'src/wrapping.js': 'export const wrapping = (pieces) => Math.ceil(pieces / 3) * 250;\n',
      'test/wrapping.test.js': test(
        `import { wrapping } from '../src/wrapping.js';`,
        `test('three pieces share a sheet', () => assert.equal(wrapping(4), 500));`,
      ),
    },
    expected: merged,
  },
];
