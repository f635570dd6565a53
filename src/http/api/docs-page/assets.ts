import { originVariable } from './curl.js';

export const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:break-word}
code{font-family:ui-monospace,monospace}summary{cursor:pointer;padding:.3rem 0;overflow-wrap:anywhere}details{border-bottom:1px solid #8884}
summary b{display:inline-block;min-width:4.5rem}.get{color:#2a7}.post{color:#27c}.put{color:#b70}.delete{color:#c33}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}caption{text-align:left;font-weight:600}
th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;border-top:1px solid #8884;overflow-wrap:anywhere}@media(min-width:40rem){td:first-child{overflow-wrap:break-word}}th{overflow-wrap:normal}small{opacity:.7}
pre{overflow-x:auto;padding:.6rem;border:1px solid #8884;border-radius:.3rem}button,input,textarea{font:inherit}
label{display:block;margin:.4rem 0}label input,textarea{display:block;box-sizing:border-box;width:100%}textarea{font-family:ui-monospace,monospace}summary h3{display:inline}[hidden]{display:none}`;

/**
 * Script of the page. Searches operations, and sends requests with the entered token but without the web console's session.
 * Completes the curl commands with the origin of the page, and copies them. Browsers offer the clipboard only on https and
 * localhost. Elsewhere, the script selects the command and uses the older copy command.
 */
export const script = `for (const button of document.querySelectorAll('button.copy')) {
  const command = document.getElementById(button.getAttribute('aria-controls'));
  command.textContent = command.textContent.replace('${originVariable}', () => location.origin);
  button.hidden = false;
  button.addEventListener('click', async () => {
    let copied = false;
    try {
      await navigator.clipboard.writeText(command.textContent);
      copied = true;
    } catch {
      getSelection().selectAllChildren(command);
      copied = document.execCommand('copy');
    }
    button.textContent = copied ? 'Copied' : 'Press Ctrl+C to copy';
    setTimeout(() => { button.textContent = 'Copy as curl'; }, 2000);
  });
}
const [tools, search, token] = ['tools', 'search', 'token'].map((id) => document.getElementById(id));
tools.hidden = false;
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(' ');
  for (const operation of document.querySelectorAll('details.operation')) {
    const text = operation.firstElementChild.textContent.toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
  }
});
for (const form of document.querySelectorAll('form.try')) {
  const { path, body } = form.elements;
  const shown = form.querySelector('pre');
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const headers = token.value ? { Authorization: 'Bearer ' + token.value } : {};
    if (body) headers['Content-Type'] = 'application/json';
    const request = { method: form.dataset.method, headers, body: body?.value, credentials: 'omit' };
    try {
      const response = await fetch(location.origin + path.value, request);
      const text = await response.text();
      const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
      shown.textContent = response.status + ' ' + response.statusText + '\\n' + (isJson ? JSON.stringify(JSON.parse(text), null, 2) : text);
    } catch (error) {
      shown.textContent = String(error);
    }
    shown.hidden = false;
  });
}`;
