import { CONTENTS_FROM, hostChapters } from './chapters.js';

hostChapters((index) => index < CONTENTS_FROM);
