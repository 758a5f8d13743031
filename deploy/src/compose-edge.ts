import { ROUTES, type Route } from '@signet/protocol/routes'
import { hostName, PUBLIC_COMPONENT } from './suite.ts'

const HEAD = `# Written by \`pnpm --filter @signet/deploy generate:deploy\` from packages/protocol.
worker_processes auto;
pid /tmp/nginx.pid;
error_log stderr warn;

events {
  worker_connections 1024;
}

http {
  access_log off;
  server_tokens off;
  client_body_temp_path /tmp/client-body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;

  # Names are looked up again while nginx runs: a container that was replaced has another address.
  resolver 127.0.0.11 valid=2s ipv6=off;
  resolver_timeout 2s;

  proxy_http_version 1.1;
  proxy_set_header Host $http_host;
  proxy_set_header Connection "";
  # Replaced, not added to: this is the first proxy.
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_connect_timeout 5s;

  server {
    listen 8080;

    location / {
      return 404;
    }

    location = /edge/healthz {
      return 204;
    }
`

const TAIL = `  }
}
`

/** The nginx configuration of docker-compose.yml: every prefix of the route table under its limits, nothing else. */
export function composeEdge(routes: readonly Route[] = ROUTES): string {
  return `${HEAD}${routes.map(locations).join('')}${TAIL}`
}

/** A prefix of the table ends where a segment ends; a location of nginx does not. */
function locations(route: Route): string {
  if (route.prefix === '/') return location('= /', route)
  return ['= ', '^~ ']
    .map((match, index) => location(`${match}${route.prefix}${index === 0 ? '' : '/'}`, route))
    .join('')
}

function location(
  pattern: string,
  { service, bodyLimitBytes, readTimeoutSeconds, buffering }: Route,
): string {
  const switched = buffering ? 'on' : 'off'
  return `
    location ${pattern} {
      set $upstream ${hostName(PUBLIC_COMPONENT[service])};
      proxy_pass http://$upstream:8080;
      client_max_body_size ${bodyLimitBytes};
      proxy_read_timeout ${readTimeoutSeconds}s;
      proxy_send_timeout ${readTimeoutSeconds}s;
      proxy_buffering ${switched};
      proxy_request_buffering ${switched};
    }
`
}
