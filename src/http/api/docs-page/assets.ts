import { originVariable } from './curl.js';

export const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:60rem;margin:2rem auto;padding:0 1rem}
code{font-family:ui-monospace,monospace}summary{cursor:pointer;padding:.3rem 0;overflow-wrap:anywhere}details{border-bottom:1px solid #8884}
summary b{display:inline-block;min-width:4.5rem}.get{color:#2a7}.post{color:#27c}.put{color:#b70}.delete{color:#c33}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}caption{text-align:left;font-weight:600}
th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;border-top:1px solid #8884;overflow-wrap:anywhere}@media(min-width:40rem){td:first-child{overflow-wrap:break-word}}th{overflow-wrap:normal}small{opacity:.7}
pre{overflow-x:auto;padding:.6rem;border:1px solid #8884;border-radius:.3rem}button{font:inherit}`;

/**
 * Completes the curl commands with the origin of the page, and copies them. Browsers offer the clipboard only on https
 * and localhost; elsewhere the script selects the command and uses the older copy command.
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
}`;
