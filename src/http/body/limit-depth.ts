/** How deep any operation takes values: the fields of the items of a list in a field. */
const deepest = 3;

/**
 * What a body says, as deep as any operation takes values. What stands deeper is emptied: it is wrong as it is without it,
 * and to copy or compare it costs far more than its bytes, or runs out of stack.
 * @param body what JSON.parse gave; changed in place
 */
export function limitDepth(body: object, depth = 1): void {
  // A list or an object of JSON: both have their items by key.
  const items = body as Record<string, unknown>;
  for (const [key, item] of Object.entries(items)) {
    if (typeof item !== 'object' || item === null) continue;
    if (depth < deepest) limitDepth(item, depth + 1);
    else items[key] = Array.isArray(item) ? [] : {};
  }
}
