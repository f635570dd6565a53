/** The token of an `Authorization: Bearer` header (RFC 6750, section 2.1), if there is one. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [, token] = /^Bearer +(\S.*)$/i.exec(authorization ?? '') ?? [];
  return token?.trim();
}
