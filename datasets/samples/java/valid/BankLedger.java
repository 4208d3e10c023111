package bank.ledger;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A double-entry ledger. Every transaction moves an amount from one account to
 * another, so the sum over all accounts is always zero.
 */
public final class BankLedger {

    private static final BigDecimal FEE_RATE = new BigDecimal("0.0025");
    private static final int SCALE = 2;

    /** What can happen to an account. */
    public sealed interface Event permits Deposit, Withdrawal, Transfer {
        LocalDate date();

        default boolean isBefore(Event other) {
            return date().isBefore(other.date());
        }
    }

    public record Deposit(LocalDate date, String account, BigDecimal amount) implements Event {
        public Deposit {
            requirePositive(amount);
        }
    }

    public record Withdrawal(LocalDate date, String account, BigDecimal amount) implements Event {
        public Withdrawal {
            requirePositive(amount);
        }
    }

    public record Transfer(LocalDate date, String from, String to, BigDecimal amount, String memo)
            implements Event {

        public Transfer {
            requirePositive(amount);
            if (from.equals(to)) {
                throw new IllegalArgumentException("same account: " + from);
            }
            memo = memo == null ? "" : memo.strip();
        }

        public Transfer(LocalDate date, String from, String to, BigDecimal amount) {
            this(date, from, to, amount, null);
        }

        static Transfer today(String from, String to, long cents) {
            return new Transfer(LocalDate.now(), from, to, BigDecimal.valueOf(cents, SCALE));
        }
    }

    /** Thrown when an account would be overdrawn. */
    public static class OverdrawnException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient BigDecimal missing;

        OverdrawnException(String account, BigDecimal missing) {
            super(String.format("%s lacks %s", account, missing.toPlainString()));
            this.missing = missing;
        }

        public BigDecimal missing() {
            return missing;
        }
    }

    private final Map<String, BigDecimal> balances = new LinkedHashMap<>();
    private final List<Event> journal = new ArrayList<>();
    private BigDecimal fees = BigDecimal.ZERO;

    private static void requirePositive(BigDecimal amount) {
        Objects.requireNonNull(amount, "amount");
        if (amount.signum() <= 0) throw new IllegalArgumentException("not positive: " + amount);
    }

    public void apply(Event event) {
        if (event instanceof Deposit d) {
            add(d.account(), d.amount());
        } else if (event instanceof Withdrawal w) {
            subtract(w.account(), w.amount());
        } else if (event instanceof Transfer t && !t.memo().startsWith("free")) {
            BigDecimal fee = t.amount().multiply(FEE_RATE).setScale(SCALE, RoundingMode.HALF_UP);
            subtract(t.from(), t.amount().add(fee));
            add(t.to(), t.amount());
            fees = fees.add(fee);
        } else if (event instanceof Transfer t) {
            subtract(t.from(), t.amount());
            add(t.to(), t.amount());
        }
        journal.add(event);
    }

    private void add(String account, BigDecimal amount) {
        balances.merge(account, amount, BigDecimal::add);
    }

    private void subtract(String account, BigDecimal amount) {
        BigDecimal old = balances.getOrDefault(account, BigDecimal.ZERO);
        BigDecimal left = old.subtract(amount);
        if (left.compareTo(BigDecimal.ZERO) < 0) {
            throw new OverdrawnException(account, left.negate());
        }
        balances.put(account, left);
    }

    public BigDecimal total() {
        BigDecimal sum = fees;
        for (BigDecimal balance : balances.values()) {
            sum = sum.add(balance);
        }
        return sum;
    }

    public List<Event> journal() {
        return Collections.unmodifiableList(journal);
    }

    public static void main(String[] args) {
        BankLedger ledger = new BankLedger();
        LocalDate start = LocalDate.of(2024, 2, 29);
        ledger.apply(new Deposit(start, "alice", new BigDecimal("1200.50")));
        ledger.apply(new Transfer(start.plusDays(1), "alice", "bob", BigDecimal.TEN, " rent "));
        try {
            ledger.apply(Transfer.today("bob", "carol", 99_999L));
        } catch (OverdrawnException e) {
            System.err.println(e.getMessage() + " (" + e.missing() + ')');
        } finally {
            System.out.println(ledger.total());
        }
    }
}
