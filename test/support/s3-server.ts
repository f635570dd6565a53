import { mkdirSync } from 'node:fs';
import S3rver from 's3rver';

/**
 * Starts an S3 server with an empty bucket at a free port of this machine. It takes the key `S3RVER` with the same secret.
 * @param folder an empty or missing one, for what is put into the bucket
 */
export async function startS3(folder: string, bucket: string): Promise<{ port: number; close(): Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory: folder,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  return { port, close: () => server.close() };
}
