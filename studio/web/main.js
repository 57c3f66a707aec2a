// The page begins here.

import { render } from 'preact';
import { watch } from './session.js';
import { App } from './ui/app.js';
import { html } from './ui/html.js';

const root = /** @type {HTMLElement} */ (document.getElementById('app'));
root.textContent = '';
watch();
render(html`<${App} />`, root);
