import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { Sequelize } from 'sequelize';
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
export function tlsOptions({ tls, tlsCaFile, host }: MysqlConfig): TlsOptions {
  if (tls === 'off') return {};
  if (tls === 'no-verify') return { ssl: { rejectUnauthorized: false } };
  return {
    ssl: {
      rejectUnauthorized: true,
      // For an address the driver would compare the certificate with "localhost": checkAddress() does it right.
      verifyIdentity: isIP(host) === 0,
      ...(tlsCaFile !== undefined && { ca: readAuthorities(tlsCaFile) }),
    },
  };
}

/** The parts of the driver that are used here. */
interface Driver {
  createConnection(config: Required<TlsOptions>): {
    /** A TLSSocket once TLS is established. */
    stream: object;
    /** Calls back before the user and the password are sent, and gives up the connection for an error. */
    startTLS(onSecure: (error?: Error) => void): void;
  };
}

/**
 * Compares the certificates of servers that are configured by their IP address with that address, which the driver doesn't.
 * @throws TypeError when a connection is made with a driver that has no `startTLS`: nothing would be checked
 */
export function checkAddress(sequelize: Sequelize, { host, tls }: Pick<MysqlConfig, 'host' | 'tls'>): void {
  if (isIP(host) === 0 || tls !== 'required') return;
  // Sequelize's types don't declare the driver, of which it uses nothing else.
  const manager = sequelize.connectionManager as unknown as { lib: Driver };
  const { lib } = manager;
  manager.lib = {
    createConnection(config) {
      // The driver resumes TLS sessions of the same options, and resumed ones have no certificate that could be checked.
      const connection = lib.createConnection({ ...config, ssl: { ...config.ssl } });
      const startTls = connection.startTLS.bind(connection);
      connection.startTLS = (onSecure) =>
        startTls((error) => {
          // The driver has put it there before it calls back.
          const socket = connection.stream as TLSSocket;
          const refusal = error ?? checkServerIdentity(host, socket.getPeerCertificate());
          onSecure(refusal);
          if (refusal) socket.destroy();
        });
      return connection;
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
export function namesOfOtherHost(error: unknown): string | undefined {
  if (!(error instanceof Error && 'reason' in error && 'host' in error && 'cert' in error)) return undefined;
  // Node gives errors of this kind a certificate.
  const { cert } = error as unknown as WrongHostError;
  const commonName = cert.subject?.CN;
  return cert.subjectaltname ?? (typeof commonName === 'string' ? `CN=${commonName}` : 'no host');
}
