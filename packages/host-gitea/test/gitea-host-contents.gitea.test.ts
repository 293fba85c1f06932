import { CONTENTS_FROM, hostChapters, LANDINGS_FROM } from './chapters.js';

hostChapters((index) => index >= CONTENTS_FROM && index < LANDINGS_FROM);
