import { readFileSync } from 'node:fs';
import type { MysqlConfig } from '../../config/config.js';
import { AppError, systemErrorCode } from '../../errors.js';

/** TLS to MySQL and MariaDB. `DB_TLS=required` requires a certificate for the configured host. */

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

/**
 * Returns the driver's options for TLS.
 * @throws AppError `CONFIG_INVALID` if the file of certificate authorities can't be read
 */
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

/** Error of Node's host check of a certificate. */
interface WrongHostError {
  host: string;
  cert: { subjectaltname?: string; subject?: { CN?: unknown } };
}

/**
 * Returns the names in a certificate that isn't for the configured host, such as `DNS:db.example.org`; undefined for
 * other errors.
 * @param error the driver's error, whose other fields come from Node
 */
export function namesOfWrongCertificate(error: unknown): string | undefined {
  if (!(error instanceof Error && 'reason' in error && 'host' in error && 'cert' in error)) return undefined;
  // Node's error contains the certificate.
  const { cert } = error as Error & WrongHostError;
  const commonName = cert.subject?.CN;
  return cert.subjectaltname ?? (typeof commonName === 'string' ? `CN=${commonName}` : 'no host');
}
