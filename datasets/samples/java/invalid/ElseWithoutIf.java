package games;

import java.util.Random;

public class ElseWithoutIf {

    private final int secret = new Random().nextInt(100) + 1;
    private int tries;

    public String guess(int number) {
        tries++;
        if (number == secret)
            System.out.println("tries: " + tries);
            return "right";
        else if (number < secret) {
            return "too small";
        } else {
            return "too big";
        }
    }

    public static void main(String[] args) {
        ElseWithoutIf game = new ElseWithoutIf();
        for (int i = 1; !game.guess(i).equals("right"); i++) {
            System.out.println(i);
        }
    }
}
