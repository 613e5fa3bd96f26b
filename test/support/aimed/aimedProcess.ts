/** The app in a process of its own, which ends at the moment that its parent names. */
import { pino } from 'pino';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { reachBank } from '../../stress/simulation/wire.ts';
import { openSights, type Aim } from './aim.ts';

const { settings, bankUrl } = JSON.parse(process.argv[2]!) as {
  settings: Record<string, string>;
  bankUrl: string;
};
const sights = openSights();
const { service, server } = await createApp(readConfig({ ...settings, logLevel: 'silent' }, {}), {
  log: pino({ level: 'silent' }),
});
Object.assign(service, {
  store: sights.watchStore(service.store),
  payments: { ...service.payments, charging: [sights.watchProvider(reachBank(bankUrl))] },
});
process.on('message', (aim: Aim) => {
  sights.aim(aim);
  process.send!('aimed');
});
process.on('disconnect', () => process.exit());
process.send!(await server.listen({ port: 0, host: '127.0.0.1' }));
