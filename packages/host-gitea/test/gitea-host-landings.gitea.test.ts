import { hostChapters, LANDINGS_FROM } from './chapters.js';

hostChapters((index) => index >= LANDINGS_FROM);
