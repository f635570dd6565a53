import { type ParsedUrlQuery, parse } from 'node:querystring';
import { AppError } from '../../errors.js';

/** No operation has nearly as many, and each takes time. */
const mostParameters = 100;

/**
 * The parameters of a query, for Express.
 * @param text null where the URL has no query
 * @throws AppError `MALFORMED_URL` when there are more than 100
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  if (text === null) return {};
  if (text.split('&', mostParameters + 1).length > mostParameters)
    throw new AppError('MALFORMED_URL', `The query has more than ${mostParameters} parameters.`);
  return parse(text);
}
