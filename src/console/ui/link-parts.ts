/** Part of a text; a link if it has an address. */
export interface TextPart {
  text: string;
  href?: string;
}

/**
 * Finds addresses with the schemes http, https and mailto, and email addresses. Control characters end them: they could change the order in which an
 * address is displayed.
 */
const addresses = /(?:https?:\/\/|mailto:)[^\s<>"\p{C}]+|(?<![\w/.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/giu;

/** Returns an address without the punctuation of the sentence around it. A closing bracket stays if it is opened before. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  const opened = /[([]/.test(address);
  const punctuation = opened ? /[.,;:!?']/ : /[.,;:!?')\]]/;
  while (punctuation.test(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/** Returns the target of a link; undefined for invalid addresses, and for a user name that looks like another host. */
function targetOf(address: string): string | undefined {
  const href = /^(https?|mailto):/i.test(address) ? address : `mailto:${address}`;
  if (!URL.canParse(href)) return undefined;
  const { username, password } = new URL(href);
  return username === '' && password === '' ? href : undefined;
}

/** Splits a text into plain parts and links. The texts of all parts are the whole text. */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(addresses)) {
    const address = withoutPunctuation(match);
    const href = targetOf(address);
    if (href === undefined) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}
