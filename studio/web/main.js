// The page begins here: with a server, or with the recording that the file holds.

import { render } from 'preact';
import { watchDev } from './dev.js';
import { show, watch } from './session.js';
import { App } from './ui/app.js';
import { html } from './ui/html.js';

const root = /** @type {HTMLElement} */ (document.getElementById('app'));
root.textContent = '';
const recording = document.getElementById('recording')?.textContent;
if (recording) show(JSON.parse(recording));
else {
	watch();
	watchDev();
}
render(html`<${App} />`, root);
