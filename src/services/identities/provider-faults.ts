import { AppError, systemErrorCode } from '../../errors.js';

/** Codes of errors of TLS: the certificate is not trusted, is for another name, or has expired. */
const certificateFault = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/;

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

/**
 * Describes why the issuer can't be used, or why its answer was refused: a part of a sentence. Contains no values of tokens
 * and no secrets.
 */
export function providerFault(error: unknown): string {
  if (error instanceof AppError) return error.message;
  const answered = oauthErrorOf(error);
  if (answered !== undefined) return `the issuer answered ${answered}`;
  const chain = chainOf(error);
  const codes = chain.flatMap((one) => systemErrorCode(one) ?? []);
  if (chain.some(({ name }) => name === 'TimeoutError') || codes.includes('OAUTH_TIMEOUT'))
    return 'the issuer did not answer in time';
  const certificate = codes.find((code) => certificateFault.test(code));
  if (certificate !== undefined) return `the certificate of the issuer is not trusted (${certificate})`;
  const network = codes.find((code) => /^(E[A-Z]+|UND_ERR_\w+)$/.test(code));
  if (network !== undefined) return `the issuer can't be reached (${network})`;
  // Messages of the library are fixed texts. Their causes have values.
  const [first] = chain;
  return first ? `${first.message}${codes[0] === undefined ? '' : ` (${codes[0]})`}` : 'unknown fault';
}
