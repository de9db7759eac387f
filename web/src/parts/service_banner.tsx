import type { Readiness } from '../api/client';
import { Banner } from './banner';

const titles: { [status: string]: string } = {
  read_only: 'The service is read-only: it refuses decisions and rewards, nothing acknowledged is lost.',
  draining: 'The service is shutting down and takes no new work.',
  starting: 'The service is starting: it folds its log and will take work soon.',
};

export function ServiceBanner({ service }: { service: Readiness | null }) {
  const title = service && titles[service.status];
  return title ? <Banner kind="warning" title={title} text={service.message} /> : null;
}
