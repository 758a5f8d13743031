#!/bin/sh
# Signs in, reads the user, introspects, revokes and introspects again, with nothing but curl.
# Reads passwords and secrets of the sample from .data/first-run.txt.
set -eu

issuer=${SIGNET_ISSUER:-http://localhost:8080}
first_run=${FIRST_RUN:-.data/first-run.txt}
[ -r "$first_run" ] || { echo "$first_run cannot be read; set FIRST_RUN to first-run.txt of the data directory" >&2; exit 1; }
field() { awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) { print $(i + 1); exit } }' "$first_run"; }
password=$(field alice)
web_secret=$(field web)
api_secret=$(field api)
redirect_uri=http://localhost:3000/callback
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

json() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
browser() { curl --silent --show-error --cookie "$work/cookies" --cookie-jar "$work/cookies" "$@"; }

echo '1. The authorization endpoint shows the sign-in page'
browser --location --output "$work/page" --get "$issuer/oauth/v2/authorize" \
  --data-urlencode client_id=web --data-urlencode "redirect_uri=$redirect_uri" \
  --data-urlencode response_type=code --data-urlencode 'scope=openid profile email'

echo '2. Sending its form answers with a code'
hidden=$(sed -n 's/.*<input type="hidden" name="\([^"]*\)" value="\([^"]*\)".*/--data-urlencode \1=\2/p' "$work/page")
# shellcheck disable=SC2086  # one option for each hidden field
location=$(browser --output /dev/null --write-out '%{redirect_url}' $hidden \
  --data-urlencode login_name=alice --data-urlencode "password=$password" "$issuer/ui/login")
case $location in
"$issuer"*) location=$(browser --output /dev/null --write-out '%{redirect_url}' "$location") ;;
esac
code=$(printf '%s' "$location" | sed -n 's/.*[?&]code=\([^&]*\).*/\1/p')

echo '3. The token endpoint redeems it'
tokens=$(curl --silent --user "web:$web_secret" --data grant_type=authorization_code --data "code=$code" \
  --data-urlencode "redirect_uri=$redirect_uri" "$issuer/oauth/v2/token")
access_token=$(printf '%s' "$tokens" | json access_token)

echo '4. Userinfo'
curl --silent --header "Authorization: Bearer $access_token" "$issuer/oidc/v1/userinfo"
echo

echo '5. Introspection, before and after revocation'
introspect() { curl --silent --user "api:$api_secret" --data-urlencode "token=$access_token" "$issuer/oauth/v2/introspect"; }
introspect
echo
curl --silent --user "web:$web_secret" --data-urlencode "token=$access_token" "$issuer/oauth/v2/revoke"
introspect
echo
