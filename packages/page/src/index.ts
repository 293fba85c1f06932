export { pageAddress } from './address.js';
export { mergeQueuePage, type PageOptions } from './plugin.js';
