import { serve } from './service.js';
import { sendTraffic, type TrafficAsked } from './traffic.js';

const [role = '', asked = ''] = process.argv.slice(2);
if (role === 'service') {
  const { waiting, spare } = JSON.parse(asked) as Pick<TrafficAsked, 'waiting' | 'spare'>;
  await serve(waiting, spare);
} else {
  process.send?.(await sendTraffic(JSON.parse(asked) as TrafficAsked));
  process.disconnect();
}
