import { type ParsedUrlQuery, parse } from 'node:querystring';
import { AppError } from '../../errors.js';

/** Far more parameters than any operation has. Parsing each parameter costs time. */
const maxParameters = 100;

/**
 * Parses the parameters of a query, for Express.
 * @param text null if the URL has no query
 * @throws AppError `MALFORMED_URL` when there are more than 100
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null) return {};
  if (text.split('&', maxParameters + 1).length > maxParameters)
    throw new AppError('MALFORMED_URL', `The query has more than ${maxParameters} parameters.`);
  const parameters = parse(text);
  // Turns every spelling of a list into a list, which the schemas refuse.
  for (const name of Object.keys(parameters))
    if (/^[^[]+\[/.test(name)) parameters[name.slice(0, name.indexOf('['))] = [];
  return parameters;
}
