package io;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class StrayParenthesis {

    static int readNumber(BufferedReader in, String prompt) throws IOException {
        while (true) {
            System.out.print(prompt);
            String line = in.readLine();
            try {
                return Integer.parseInt(line.trim()));
            } catch (NumberFormatException e) {
                System.out.println("not a number: " + line);
            }
        }
    }

    public static void main(String[] args) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
            System.out.println(readNumber(in, "n = ") * 2);
        }
    }
}
