package game;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.Set;

public class TextAdventure {

    enum Direction {
        NORTH(0, -1), EAST(1, 0), SOUTH(0, 1), WEST(-1, 0);

        final int dx;
        final int dy;

        private Direction(int dx, int dy) {
            this.dx = dx;
            this.dy = dy;
        }

        Direction opposite() {
            return values()[(ordinal() + 2) % values().length];
        }
    }

    enum Thing { LAMP, KEY, ROPE, @Deprecated SWORD, }

    static class Room {
        private static int count;
        final int number = ++count;
        final String title;
        final Map<Direction, Room> exits = new EnumMap<>(Direction.class);
        final Set<Thing> things = EnumSet.noneOf(Thing.class);
        boolean dark, locked;

        Room(String title, Thing... things) {
            this.title = title;
            for (Thing thing : things) this.things.add(thing);
        }

        void join(Direction d, Room other) {
            exits.put(d, other);
            other.exits.put(d.opposite(), this);
        }
    }

    private final Set<Thing> carried = EnumSet.of(Thing.ROPE);
    private final List<String> log = new ArrayList<>();
    private Room here;
    private int moves, score = 10;

    TextAdventure() {
        Room hall = new Room("a long hall", Thing.LAMP);
        Room cellar = new Room("a cellar", Thing.KEY);
        Room vault = new Room("the vault");
        cellar.dark = true;
        vault.locked = cellar.dark;
        hall.join(Direction.SOUTH, cellar);
        hall.join(Direction.EAST, vault);
        here = hall;
    }

    private boolean lit() {
        return !here.dark || carried.contains(Thing.LAMP) || here.things.contains(Thing.LAMP);
    }

    private void say(String format, Object... values) {
        String text = String.format(format, values);
        log.add(text);
        System.out.println(text);
    }

    private boolean go(Direction d) {
        Room next = here.exits.get(d);
        if (next == null)
            say("There is a wall to the %s.", d.name().toLowerCase());
        else if (next.locked)
            if (carried.contains(Thing.KEY)) {
                next.locked = false;
                say("The key fits.");
            } else
                say("The door is locked.");
        if (next == null || next.locked) return false;
        here = next;
        moves++;
        return true;
    }

    boolean command(String line) {
        String[] words = line.trim().toLowerCase().split("\\s+");
        String object = words.length > 1 ? words[1] : "";
        switch (words[0]) {
            case "":
                return true;
            case "n": case "e":
            case "s": case "w": {
                int i = "nesw".indexOf(words[0].charAt(0));
                Direction d = Direction.values()[i];
                if (go(d)) say("You are in %s.", lit() ? here.title : "the dark");
                break;
            }
            case "take":
            case "drop":
                for (Thing thing : Thing.values()) {
                    if (!thing.name().equalsIgnoreCase(object)) continue;
                    Set<Thing> from = words[0].equals("take") ? here.things : carried;
                    Set<Thing> to = from == carried ? here.things : carried;
                    if (lit() && from.remove(thing)) {
                        to.add(thing);
                        score += from == carried ? -5 : +5;
                        say("Done.");
                        return true;
                    }
                }
                say("You see no %s here.", object);
                break;
            case "look":
                if (lit()) say("In room %d: %s", here.number, here.things);
                else say("It is pitch dark.");
                break;
            case "quit":
                return false;
            default:
                say("I do not know how to \"%s\".", line);
        }
        return true;
    }

    public static void main(String[] args) {
        TextAdventure game = new TextAdventure();
        Scanner in = args.length == 0 ? new Scanner(System.in) : new Scanner(String.join("\n", args));
        boolean more;
        do {
            System.out.print("> ");
            more = in.hasNextLine() && game.command(in.nextLine());
            if (game.here.title.contains("vault")) {
                game.say("You won with %d points in %d moves!", game.score, game.moves);
                more = false;
            }
        } while (more);
        int i = game.log.size();
        while (i --> 0) {
            if (game.log.get(i).isEmpty()) continue;
            System.out.println("last words: " + game.log.get(i));
            break;
        }
    }
}
