FROM caddy:2
# The program asks for the right to open ports below 1024, and does not start without. Here it opens others, as any user.
RUN setcap -r /usr/bin/caddy && chown -R 1000:1000 /data
