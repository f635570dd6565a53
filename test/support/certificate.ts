import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The host that the proxies of this repository serve. */
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
