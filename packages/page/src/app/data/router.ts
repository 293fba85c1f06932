import { BASE } from './page-meta.js';
import { storeOf } from './store.js';

/** The path below the base of the page, without a slash at its beginning. */
const pathNow = (): string => location.pathname.slice(BASE.length);

export const path = storeOf(pathNow());

export const hrefOf = (below: string): string => `${BASE}${below}`;

export const navigate = (below: string): void => {
  if (below === path.get()) return;
  history.pushState(null, '', hrefOf(below));
  path.set(below);
  window.scrollTo(0, 0);
};

/** Puts another path in place of this one, which stays out of the history. */
export const redirect = (below: string): void => {
  history.replaceState(null, '', hrefOf(below));
  path.set(below);
};

addEventListener('popstate', () => path.set(pathNow()));
