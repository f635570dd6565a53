import { expect } from 'chai';
import { createWaitingRequests } from '../../src/http/server/waiting-requests.js';

describe('Logins that wait', () => {
  /** Two addresses take all places, each as many as it may have. */
  function fill() {
    const waiting = createWaitingRequests({ maxConcurrent: 20, minimumRate: 500 });
    const ended: number[] = [];
    const login = (address: string, number: number) => waiting.login({ address, cut: () => ended.push(number) });
    for (let number = 0; number < 2000; number += 1) login(number % 2 === 0 ? '192.0.2.1' : '198.51.100.1', number);
    return { waiting, login, ended };
  }

  it('give way to those of an address that has fewer: the newest of the address that has most', () => {
    const { waiting, login, ended } = fill();
    for (let number = 2000; number < 2010; number += 1) login('203.0.113.1', number);
    expect(ended).to.have.length(10);
    for (const number of ended) expect(number).to.be.within(1980, 1999);
    expect(waiting.figures().logins).to.equal(2000);
  });

  it('give way to no more of their own address', () => {
    const { login, ended } = fill();
    expect(() => login('192.0.2.1', 2000)).to.throw('busy');
    expect(ended).to.deep.equal([]);
  });
});
