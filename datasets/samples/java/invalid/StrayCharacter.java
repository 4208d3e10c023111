package accounts;

import java.util.Optional;

public class StrayCharacter {

    private String owner;
    private double balance;

    StrayCharacter(String owner) {
        this.owner = owner;
    }

    Optional<String> check() {
        String problem = null; /* “none” */
        if (balance < 0) {
            problem = “overdrawn”;
        }
        return Optional.ofNullable(problem);
    }

    void deposit(double amount) {
        if (amount > 0) balance += amount;
    }
}
