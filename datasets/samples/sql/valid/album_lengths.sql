select al.title, ar.name, sum(t.milliseconds) / 60000.0 as minutes
from albums al
  join artists ar using (artist_id)
  join tracks t using (album_id)
group by al.album_id, al.title, ar.name
having sum(t.milliseconds) > 3600000
order by minutes desc
