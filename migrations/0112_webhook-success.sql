-- Whether any 2xx counts as received; without it, 200 and 201 do (webhooks/post.ts).
alter table webhooks add column any_2xx boolean not null default false;
