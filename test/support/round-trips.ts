/** The database's side of a program: every command that travels to a MySQL or MariaDB server, transaction statements too. */

/** The commands in what a client sends to the server: each begins a packet with the number 0. */
export function commandsIn(data: Buffer): string[] {
  const commands: string[] = [];
  for (let offset = 0; offset + 4 < data.length; ) {
    const length = data.readUIntLE(offset, 3);
    const [number, kind] = [data[offset + 3], data[offset + 4]];
    // The answers of the handshake have other numbers.
    if (number === 0) commands.push(kind === 3 ? data.toString('utf8', offset + 5, offset + 4 + length) : `#${kind}`);
    offset += 4 + length;
  }
  return commands;
}
