/**
 * What a body says, as deep as any operation takes values: a list of texts in a field. What stands deeper is emptied: it is
 * wrong as it is without it, and to copy or compare it costs far more than its bytes, or runs out of stack.
 * @param body what JSON.parse gave; changed in place
 */
export function makeShallow(body: object): void {
  // Object.values gives `any`; each value is checked below.
  for (const field of Object.values(body) as unknown[]) {
    if (typeof field !== 'object' || field === null) continue;
    // A list or an object of JSON: both have their items by key.
    const items = field as Record<string, unknown>;
    for (const [key, item] of Object.entries(items))
      if (typeof item === 'object' && item !== null) items[key] = emptied(item);
  }
}

const emptied = (item: object): object => (Array.isArray(item) ? [] : {});
