import { AppError, systemErrorCode } from '../../errors.js';

/** Codes of errors of TLS: the certificate is not trusted, is for another name, or has expired. */
const certificateFault = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;

/** Maximum length of a name that the issuer gives itself. */
const longestName = 200;

/** Returns an error and its causes, at most five. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 5; one = one.cause) chain.push(one);
  return chain;
}

/** Returns the error code of OAuth 2.0 in an answer of the issuer, such as `invalid_client` (RFC 6749, section 5.2). */
export function oauthErrorOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('error' in error)) return undefined;
  // The issuer can answer any text.
  return typeof error.error === 'string' && /^[\w.-]{1,100}$/.test(error.error) ? error.error : undefined;
}

/** Codes of answers that are no metadata of an issuer. */
const noMetadata = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

/** Kind of a fault, by its remedy. */
export type FaultKind =
  | 'silent'
  | 'certificate'
  | 'no TLS'
  | 'unreachable'
  | 'no issuer'
  | 'other name'
  | 'client'
  | 'other';

/** Returns the name in metadata whose issuer is another one than expected. */
function otherNameOf({ cause }: Error): string | undefined {
  const body = typeof cause === 'object' && cause !== null && 'body' in cause ? cause.body : undefined;
  const name = typeof body === 'object' && body !== null && 'issuer' in body ? body.issuer : undefined;
  return typeof name === 'string' ? name.slice(0, longestName) : undefined;
}

/** Returns the kind of a fault with its description, as {@link providerFault}. */
export function faultOf(error: unknown): { kind: FaultKind; text: string } {
  if (error instanceof AppError) return { kind: 'other', text: error.message };
  const answered = oauthErrorOf(error);
  if (answered !== undefined) {
    const kind = answered === 'invalid_client' || answered === 'unauthorized_client' ? 'client' : 'other';
    return { kind, text: `the issuer answered ${answered}` };
  }
  const chain = chainOf(error);
  const codes = chain.flatMap((one) => systemErrorCode(one) ?? []);
  if (chain.some(({ name }) => name === 'TimeoutError') || codes.includes('OAUTH_TIMEOUT'))
    return { kind: 'silent', text: 'the issuer did not answer in time' };
  const certificate = codes.find((code) => certificateFault.test(code));
  if (certificate !== undefined)
    return { kind: 'certificate', text: `the certificate of the issuer is not trusted (${certificate})` };
  const tls = codes.find((code) => code.startsWith('ERR_SSL_'));
  if (tls !== undefined) return { kind: 'no TLS', text: `the issuer can't be reached by https (${tls})` };
  const network = codes.find((code) => /^(E[A-Z]+|UND_ERR_\w+)$/.test(code));
  if (network !== undefined) return { kind: 'unreachable', text: `the issuer can't be reached (${network})` };
  const [first] = chain;
  if (!first) return { kind: 'other', text: 'unknown fault' };
  if (codes.includes('OAUTH_WWW_AUTHENTICATE_CHALLENGE'))
    return { kind: 'client', text: 'the issuer refuses the client' };
  const name = codes.includes('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') ? otherNameOf(first) : undefined;
  if (name !== undefined) return { kind: 'other name', text: `the issuer calls itself ${name}` };
  if (first.cause instanceof Response && first.cause.status !== 200)
    return { kind: 'no issuer', text: `the issuer answered HTTP ${first.cause.status}` };
  const kind = codes.some((code) => noMetadata.includes(code)) ? 'no issuer' : 'other';
  // Messages of the library are fixed texts. Their causes have values.
  return { kind, text: `${first.message}${codes[0] === undefined ? '' : ` (${codes[0]})`}` };
}

/**
 * Describes why the issuer can't be used, or why its answer was refused: a part of a sentence. Contains no values of tokens
 * and no secrets.
 */
export const providerFault = (error: unknown): string => faultOf(error).text;
