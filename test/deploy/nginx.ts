import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { read } from './files.js';

/** Ports on this machine that replace those in deploy/nginx.conf. */
export interface NginxPorts {
  http: number;
  https: number;
  instances: readonly number[];
}

/**
 * Writes deploy/nginx.conf with other ports and paths. Expects the certificate in the folder.
 * @returns the arguments of the program, which stays in the foreground
 */
export function configureNginx(folder: string, { http, https, instances }: NginxPorts): string[] {
  const site = read('deploy/nginx.conf')
    .replaceAll(/listen (\[::\]:)?80;/g, (_, six: string | undefined) => (six ? '' : `listen 127.0.0.1:${http};`))
    .replaceAll(/listen (\[::\]:)?443 ssl/g, (_, six: string | undefined) =>
      six ? `listen 127.0.0.2:${https} ssl` : `listen 127.0.0.1:${https} ssl`,
    )
    .replace('server 127.0.0.1:3000;', instances.map((port) => `server 127.0.0.1:${port};`).join(' '))
    .replace(/ssl_certificate .*/, `ssl_certificate ${folder}/certificate.pem;`)
    .replace(/ssl_certificate_key .*/, `ssl_certificate_key ${folder}/key.pem;`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = `daemon off; pid ${folder}/nginx.pid; error_log stderr warn; events {} http { access_log off; ${temporary.join(' ')} ${site} }`;
  writeFileSync(path.join(folder, 'nginx.conf'), main);
  return ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')];
}
