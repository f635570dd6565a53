import { readFileSync } from 'node:fs';
import type { MysqlConfig } from '../../config/config.js';
import { AppError, systemErrorCode } from '../../errors.js';

/** TLS to MySQL and MariaDB. With `DB_TLS=required` the certificate must be for the configured host. */

/** The driver's `ssl` option, where TLS is used. */
interface TlsOptions {
  ssl?: { rejectUnauthorized: boolean; verifyIdentity?: boolean; ca?: string };
}

function readAuthorities(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AppError('CONFIG_INVALID', `DB_TLS_CA_FILE can't be read (${systemErrorCode(error)}): ${file}`, {
      cause: error,
    });
  }
}

/** The driver's options for TLS. @throws AppError `CONFIG_INVALID` when the file of authorities can't be read */
export function tlsOptions({ tls, tlsCaFile }: MysqlConfig): TlsOptions {
  if (tls === 'off') return {};
  if (tls === 'no-verify') return { ssl: { rejectUnauthorized: false } };
  return {
    ssl: {
      rejectUnauthorized: true,
      verifyIdentity: true,
      ...(tlsCaFile !== undefined && { ca: readAuthorities(tlsCaFile) }),
    },
  };
}

/** An error of Node's check whether a certificate is for the host. */
interface WrongHostError {
  host: string;
  cert: { subjectaltname?: string; subject?: { CN?: unknown } };
}

/**
 * Which names a certificate has that isn't for the configured host, such as `DNS:db.example.org`; nothing for other errors.
 * @param error of the driver, which replaces Node's code
 */
export function namesOfWrongCertificate(error: unknown): string | undefined {
  if (!(error instanceof Error && 'reason' in error && 'host' in error && 'cert' in error)) return undefined;
  // Node gives errors of this kind a certificate.
  const { cert } = error as Error & WrongHostError;
  const commonName = cert.subject?.CN;
  return cert.subjectaltname ?? (typeof commonName === 'string' ? `CN=${commonName}` : 'no host');
}
