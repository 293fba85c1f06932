import fc from 'fast-check';

/** The fixed seed of the property tests, so that runs of unchanged code give the same results. */
const SEED = 20_260_101;

const asked = Number(process.env.PROPERTY_SEED ?? SEED);
if (!Number.isSafeInteger(asked))
  throw new Error(`PROPERTY_SEED is "${process.env.PROPERTY_SEED}": it must be a whole number.`);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: asked });
