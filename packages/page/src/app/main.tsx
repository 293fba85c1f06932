import { render } from 'preact';
import { App } from './view/app.js';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
