import { type ParsedUrlQuery, parse } from 'node:querystring';
import { AppError } from '../../errors.js';

/** No operation has nearly as many, and each takes time. */
const maxParameters = 100;

/**
 * The parameters of a query, for Express.
 * @param text null where the URL has no query
 * @throws AppError `MALFORMED_URL` when there are more than 100
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null) return {};
  if (text.split('&', maxParameters + 1).length > maxParameters)
    throw new AppError('MALFORMED_URL', `The query has more than ${maxParameters} parameters.`);
  const parameters = parse(text);
  // No parameter is a list: the schema refuses them, in whatever spelling.
  for (const name of Object.keys(parameters))
    if (/^[^[]+\[/.test(name)) parameters[name.slice(0, name.indexOf('['))] = [];
  return parameters;
}
