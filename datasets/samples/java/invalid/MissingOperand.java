package finance;

/* Loans with equal monthly payments. */
public class MissingOperand {

    private final double principal;
    private final double yearlyRate;
    private final int months;

    public MissingOperand(double principal, double yearlyRate, int months) {
        this.principal = principal;
        this.yearlyRate = yearlyRate;
        this.months = months;
    }

    public double payment() {
        double r = yearlyRate / 12;
        if (r == 0) {
            return principal / months;
        }
        double growth = Math.pow(1 + r, months);
        return principal * r * growth / (growth - );
    }

    public double interest() {
        return payment() * months - principal;
    }
}
