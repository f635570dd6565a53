import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

/** Host that the proxies of this repository serve. */
export const proxiedHost = 'courses.example.org';

/** Writes a certificate of {@link proxiedHost} into a folder: `certificate.pem`, `key.pem`, and both in `haproxy.pem`. */
export function writeCertificate(folder: string): void {
  const [certificate, key] = [path.join(folder, 'certificate.pem'), path.join(folder, 'key.pem')];
  const subject = ['-subj', `/CN=${proxiedHost}`, '-addext', `subjectAltName=DNS:${proxiedHost}`, '-days', '2'];
  const output = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...output], {
    stdio: 'ignore',
  });
  writeFileSync(path.join(folder, 'haproxy.pem'), Buffer.concat([certificate, key].map((file) => readFileSync(file))));
}

/** A self-signed certificate and its key, in PEM. */
export interface Certificate {
  certificate: string;
  key: string;
}

/** Configuration of `openssl ca`, the only command that can backdate certificates. */
const authority = `[ca]
default_ca=it
[it]
database=index.txt
serial=serial
new_certs_dir=.
default_md=sha256
policy=policy
copy_extensions=copy
[policy]
commonName=supplied
`;

/**
 * Makes a self-signed certificate.
 * @param name alternative name, such as `DNS:mail.example.org` or `IP:127.0.0.1`
 */
export function makeCertificate(name: string, { expired = false } = {}): Certificate {
  const folder = temporaryFolder();
  const at = (file: string) => path.join(folder.path, file);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder.path, stdio: 'ignore' });
  try {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key.pem'];
    openssl('req', ...key, '-subj', '/CN=mail', '-addext', `subjectAltName=${name}`, '-out', 'request.pem');
    const files = { 'ca.cnf': authority, 'index.txt': '', serial: '01\n' };
    for (const [file, text] of Object.entries(files)) writeFileSync(at(file), text);
    const dates = expired ? ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z'] : ['-days', '2'];
    const signing = ['-config', 'ca.cnf', '-in', 'request.pem', '-keyfile', 'key.pem', '-out', 'certificate.pem'];
    openssl('ca', '-batch', '-selfsign', '-notext', ...signing, ...dates);
    return { certificate: readFileSync(at('certificate.pem'), 'utf8'), key: readFileSync(at('key.pem'), 'utf8') };
  } finally {
    folder.remove();
  }
}
