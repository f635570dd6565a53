import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { openStorage } from '../../src/storage/open-storage.js';
import { createS3Storage } from '../../src/storage/s3.js';
import type { S3Settings } from '../../src/storage/s3-client.js';
import type { FileStorage } from '../../src/storage/storage.js';
import { startS3 } from '../support/s3-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf, describeStorage, faultOf, fileWith, listed } from './support/storage-contract.js';

const secretAccessKey = 'S3RVER';
const bucket = 'courses';

/** Starts a server with the given responses, because s3rver can't simulate faults. */
async function startResponding(listener: RequestListener): Promise<{ endpoint: string; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens at an address, not a pipe.
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const xmlError = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}.</Message></Error>`;

describe('The storage in a bucket', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let s3: Awaited<ReturnType<typeof startS3>>;
  let endpoint: string;
  let storage: FileStorage;
  const opened: FileStorage[] = [];

  const settings = () => ({
    endpoint,
    region: 'eu-central-1',
    bucket,
    prefix: 'files',
    forcePathStyle: true,
    accessKeyId: 'S3RVER',
    secretAccessKey,
  });

  async function storageWith(changes: Partial<S3Settings> = {}): Promise<FileStorage> {
    const made = await createS3Storage({ ...settings(), timeoutMs: 5000, ...changes });
    opened.push(made);
    return made;
  }

  before(async () => {
    folder = temporaryFolder();
    s3 = await startS3(path.join(folder.path, 's3'), bucket);
    endpoint = `http://127.0.0.1:${s3.port}`;
    // Opened as the program does.
    storage = openStorage({ kind: 's3', ...settings() });
    opened.push(storage);
  });
  after(async () => {
    for (const one of opened) await one.close();
    await s3.close();
    folder.remove();
  });

  const put = (under: FileStorage, content = 'x') => under.put('material/some', fileWith(folder.path, content));

  /** Returns every use of a storage. */
  const uses = (used: FileStorage, file: string): (() => Promise<unknown>)[] => [
    () => used.put('material/some', file),
    () => used.open('material/some'),
    () => used.check(),
    () => used.remove(['material/some']),
    () => listed(used),
  ];

  /** Expects every use to fail with a hint, and without a secret. */
  async function expectFaults(broken: FileStorage, hint: RegExp, secret = secretAccessKey): Promise<void> {
    const file = fileWith(folder.path, 'x');
    for (const attempt of uses(broken, file)) {
      const error = await faultOf(attempt());
      expect(error).to.include({ code: 'STORAGE_UNAVAILABLE' });
      expect(error.message).to.match(hint);
      expect(inspect(error, { depth: 9, showHidden: true })).not.to.include(secret);
    }
    expect(existsSync(file)).to.equal(false);
  }

  describe('like every storage', () => {
    describeStorage(() => ({
      storage,
      addForeign: async (name) => {
        const file = path.join(folder.path, 's3', bucket, 'files', `${name}._S3rver_object`);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, 'foreign');
      },
    }));
  });

  it('uses only its prefix', async () => {
    const [bare, slashed, other] = [
      await storageWith({ prefix: '' }),
      await storageWith({ prefix: '/files/' }),
      await storageWith({ prefix: 'file' }),
    ];
    await put(storage);
    expect(String(await contentOf(slashed, 'material/some'))).to.equal('x');
    expect(await listed(other)).to.deep.equal([]);
    expect(await listed(bare)).to.deep.equal([]);
    await put(bare, 'bare');
    expect((await listed(bare)).map(({ key }) => key)).to.deep.equal(['material/some']);
    expect(String(await contentOf(storage, 'material/some'))).to.equal('x');
    for (const one of [bare, storage]) await one.remove(['material/some']);
  });

  it('reports its location', async () => {
    expect(storage.location).to.equal(`s3://${bucket}/files/ at ${endpoint}`);
    const there = await storageWith({ endpoint: 'https://user:hidden@example.org/x', prefix: '' });
    expect(there.location).to.equal(`s3://${bucket}/ at https://example.org`);
  });

  it('reports wrong settings without secrets', async () => {
    const secret = 'a-secret-that-is-wrong';
    const details = `<StringToSign>x</StringToSign><Message>Signed with ${secret}?</Message>`;
    const signed = await startResponding((request, response) => {
      const body = xmlError('SignatureDoesNotMatch').replace(/<Message>.*<.Message>/, details);
      request.resume().on('end', () => response.writeHead(403).end(body));
    });
    const gone = await startResponding(() => undefined);
    gone.server.close();
    const wrong: [Partial<S3Settings>, RegExp, string?][] = [
      [
        { endpoint: signed.endpoint, secretAccessKey: secret },
        /refuses the credentials.*access key, its secret/,
        secret,
      ],
      [{ accessKeyId: 'NOBODY' }, /refuses the credentials.*access key/],
      [{ bucket: 'nowhere' }, /no bucket "nowhere".*bucket's name/],
      [{ endpoint: gone.endpoint }, /can't be reached \(ECONNREFUSED\): check the endpoint/],
    ];
    for (const [changes, hint, kept] of wrong) await expectFaults(await storageWith(changes), hint, kept);
    const unknown = await storageWith({ endpoint: 'http://storage.invalid' });
    expect((await faultOf(unknown.open('material/some'))).message).to.match(
      /can't be reached \((ENOTFOUND|EAI_AGAIN)\)/,
    );
    signed.server.close();
  });

  it('reports a server of another protocol', async () => {
    const tcp = createTcpServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH\r\n'));
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const page = await startResponding((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html><body>Welcome<br></body></html>');
    });
    // The server listens at an address, not a pipe.
    const strange = await storageWith({ endpoint: `http://127.0.0.1:${(tcp.address() as AddressInfo).port}` });
    expect(await faultOf(strange.open('material/some'))).to.include({ code: 'STORAGE_UNAVAILABLE' });
    expect(await faultOf(put(strange))).to.include({ code: 'STORAGE_UNAVAILABLE' });
    expect(await faultOf((await storageWith(page)).check())).to.include({ code: 'STORAGE_UNAVAILABLE' });
    tcp.close();
    page.server.close();
  });

  it('reports a server that does not respond, and aborts running requests when closed', async () => {
    const silent = await startResponding((request) => request.resume());
    await expectFaults(await storageWith({ ...silent, timeoutMs: 100 }), /doesn't answer in time/);
    const closed = await storageWith({ ...silent, timeoutMs: 600_000 });
    const file = fileWith(folder.path, 'x');
    const attempts = Promise.allSettled(uses(closed, file).map((attempt) => attempt()));
    await sleep(200);
    await closed.close();
    for (const outcome of await attempts) expect(outcome).to.have.nested.property('reason.code', 'STORAGE_UNAVAILABLE');
    expect(existsSync(file)).to.equal(false);
    silent.server.closeAllConnections();
    silent.server.close();
  });

  it('aborts stalled uploads and downloads', async () => {
    const content = Buffer.alloc(20 * 1024 * 1024);
    const stuck = await startResponding((request, response) => {
      // The server never reads uploads, and stops downloads without closing.
      if (request.method === 'GET') response.writeHead(200, { 'Content-Length': 1000 }).write('half');
      if (request.method === 'DELETE') response.writeHead(204).end();
    });
    const slow = await storageWith({ ...stuck, timeoutMs: 100 });
    expect(await faultOf(slow.put('material/some', fileWith(folder.path, content)))).to.match(/in time/);
    expect((await faultOf(contentOf(slow, 'material/some'))).message).to.match(/stopped sending/);
    stuck.server.closeAllConnections();
    stuck.server.close();
  });

  it('waits for a slow reader', async () => {
    const waiting = await storageWith({ timeoutMs: 200 });
    const content = Buffer.alloc(2 * 1024 * 1024, 'x');
    await storage.put('material/some', fileWith(folder.path, content));
    const stored = await waiting.open('material/some');
    await sleep(1000);
    let bytes = 0;
    for await (const chunk of stored?.stream ?? []) {
      // The stream has no encoding, so chunks are buffers.
      bytes += (chunk as Buffer).length;
      // Pauses at the start, in the middle, and after the last chunk but before the end.
      if (bytes < 100_000 || bytes === content.length) await sleep(500);
    }
    expect(bytes).to.equal(content.length);
    await storage.remove(['material/some']);
  });

  it('retries a complete upload if the server is busy, and removes the object after a failure', async () => {
    const requests: string[] = [];
    let failures = 2;
    const busy = await startResponding((request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on('end', () => {
        requests.push(`${request.method} ${bytes}`);
        if (request.method === 'DELETE') response.writeHead(204).end();
        else if (requests.length > failures) response.writeHead(200).end();
        else response.writeHead(500).end(xmlError('InternalError'));
      });
    });
    const trying = await storageWith(busy);
    const file = () => fileWith(folder.path, Buffer.alloc(300_000));
    await trying.put('material/some', file());
    const uploads = Array(3).fill('PUT 300000');
    expect(requests.splice(0)).to.deep.equal(uploads);
    failures = 9;
    const error = await faultOf(trying.put('material/some', file()));
    expect(error.message).to.match(/fails \(InternalError, status 500\)/);
    expect(requests).to.deep.equal([...uploads, 'DELETE 0']);
    busy.server.close();
  });

  it('distinguishes a full storage from denied access', async () => {
    let [status, code] = [507, 'XMinioStorageFull'];
    const { endpoint, server } = await startResponding((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(xmlError(code)));
    });
    const full = await storageWith({ endpoint });
    expect(await faultOf(put(full))).to.include({ code: 'DISK_FULL' });
    [status, code] = [403, 'AccessDenied'];
    await expectFaults(full, /denies access: check that the access key may/);
    [status, code] = [403, 'RequestTimeTooSkewed'];
    expect((await faultOf(full.open('material/some'))).message).to.match(/clock/);
    server.close();
  });

  it('lists page by page', async () => {
    const tokens: (string | null)[] = [];
    const { endpoint, server } = await startResponding((request, response) => {
      const token = new URL(request.url ?? '', 'http://x').searchParams.get('continuation-token');
      tokens.push(token);
      const number = tokens.length;
      const object = `<Key>files/image/n${number}.webp</Key><Size>${number}</Size>`;
      const contents = `<Contents>${object}<LastModified>2030-01-02T03:04:05.000Z</LastModified></Contents>`;
      const next = `<IsTruncated>true</IsTruncated><NextContinuationToken>after ${number}/+</NextContinuationToken>`;
      const page = `${contents}${number < 3 ? next : '<IsTruncated>false</IsTruncated>'}`;
      response.writeHead(200).end(`<?xml version="1.0"?><ListBucketResult>${page}</ListBucketResult>`);
    });
    const found = await listed(await storageWith({ endpoint }));
    const modifiedAt = new Date('2030-01-02T03:04:05Z');
    expect(found).to.deep.equal([1, 2, 3].map((bytes) => ({ key: `image/n${bytes}.webp`, bytes, modifiedAt })));
    expect(tokens).to.deep.equal([null, 'after 1/+', 'after 2/+']);
    server.close();
  });

  it('reports keys that could not be removed, after trying all', async () => {
    const requests: { md5: unknown; checksums: string[] }[] = [];
    const deleted = '<?xml version="1.0"?><DeleteResult><Error><Key>files/a/b</Key><Code>AccessDenied</Code></Error>';
    const { endpoint, server } = await startResponding((request, response) => {
      const checksums = Object.keys(request.headers).filter((name) => name.includes('checksum'));
      requests.push({ md5: request.headers['content-md5'], checksums });
      request.resume().on('end', () => response.writeHead(200).end(`${deleted}</DeleteResult>`));
    });
    const keys = Array.from({ length: 1500 }, (_, index) => `material/n${index}`);
    const error = await faultOf((await storageWith({ endpoint })).remove(keys));
    expect(error).to.include({ code: 'STORAGE_UNAVAILABLE' });
    expect(error.message).to.match(/AccessDenied|denies access/);
    expect(requests.length).to.equal(2);
    for (const { md5, checksums } of requests) {
      expect(md5).to.match(/^[A-Za-z0-9+/]{22}==$/);
      expect(checksums).to.deep.equal([]);
    }
    server.close();
  });
});
