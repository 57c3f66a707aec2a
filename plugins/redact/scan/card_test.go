package scan_test

import (
	"testing"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

// The numbers are the test numbers that issuers and payment providers publish.
func TestCard(t *testing.T) {
	t.Parallel()
	runCases(t, scan.Card, []testCase{
		{"Visa", "4111111111111111", []string{"4111111111111111"}},
		{"Visa in groups", "4111 1111 1111 1111", []string{"4111 1111 1111 1111"}},
		{"Visa with dashes", "4012-8888-8888-1881", []string{"4012-8888-8888-1881"}},
		{"Visa of 13 digits", "4222222222222", []string{"4222222222222"}},
		{"Visa of 13 digits in groups", "4222 222 222 222", []string{"4222 222 222 222"}},
		{"Visa of 19 digits", "4000 0000 0000 0000 006", []string{"4000 0000 0000 0000 006"}},
		{"mixed separators", "4111 1111-1111 1111", []string{"4111 1111-1111 1111"}},
		{"Mastercard", "5555 5555 5555 4444", []string{"5555 5555 5555 4444"}},
		{"Mastercard, 2 series", "2223003122003222", []string{"2223003122003222"}},
		{"American Express", "378282246310005", []string{"378282246310005"}},
		{"American Express in groups", "3714 496353 98431", []string{"3714 496353 98431"}},
		{"Discover", "6011 1111 1111 1117", []string{"6011 1111 1111 1117"}},
		{"Diners Club", "3056 930902 5904", []string{"3056 930902 5904"}},
		{"JCB", "3566 0020 2036 0505", []string{"3566 0020 2036 0505"}},
		{"UnionPay", "6200000000000005", []string{"6200000000000005"}},
		{"Maestro", "6759 6498 2643 8453", []string{"6759 6498 2643 8453"}},
		{"in a sentence", "Card 4111 1111 1111 1111, thanks", []string{"4111 1111 1111 1111"}},
		{"at the end of a sentence", "It is 4111111111111111.", []string{"4111111111111111"}},
		{"in JSON", `{"pan":"4111111111111111"}`, []string{"4111111111111111"}},
		{"as a JSON number", `{"pan":4111111111111111}`, []string{"4111111111111111"}},
		{"after an equals sign", "pan=4111111111111111", []string{"4111111111111111"}},
		{"bold", "**4111 1111 1111 1111**", []string{"4111 1111 1111 1111"}},
		{"an expiry date behind it", "4111 1111 1111 1111 12/27", []string{"4111 1111 1111 1111"}},
		{"a CVV behind it", "4111 1111 1111 1111 123", []string{"4111 1111 1111 1111"}},
		{"a number before it", "order 1234 4111 1111 1111 1111", []string{"4111 1111 1111 1111"}},
		{"a dash before it", "card-4111-1111-1111-1111", []string{"4111-1111-1111-1111"}},
		{"two", "4111111111111111 5555555555554444", []string{"4111111111111111", "5555555555554444"}},
		{"text in another script around it", "卡号4111111111111111。", []string{"4111111111111111"}},

		{"a wrong check digit", "4111 1111 1111 1112", nil},
		{"an issuer that does not exist", "1111 1111 1111 1117", nil},
		{"twelve digits", "411111111116", nil},
		{"twenty digits", "41111111111111111111", nil},
		{"Visa of 15 digits", "400000000000006", nil},
		{"American Express of 16 digits", "3782822463100055", nil},
		{"two spaces", "4111  1111  1111  1111", nil},
		{"groups of two", "41 11 11 11 11 11 11 11", nil},
		{"line breaks", "4111\n1111\n1111\n1111", nil},
		{"in a word", "x4111111111111111", nil},
		{"a word behind it", "4111111111111111x", nil},
		{"an underscore before it", "id_4111111111111111", nil},
		{"a fraction", "0.4111111111111111", nil},
		{"milliseconds since 1970", "1700000000000", nil},
		{"nanoseconds since 1970", "1700000000000000000", nil},
		{"a telephone number", "+49 4111 1111 11", nil},
		{"a date and a time", "2024-01-15 10:22:33 2024-01-15", nil},
		{"a UUID", "6fa459ea-4111-4111-8111-111111111111", nil},
		{"masked", "****-****-****-1111 ************1111", nil},
		{"masked, digits behind it", "**** **** **** 4242 4242 4242 4242", nil},
		{"a MongoDB id", "507f1f77bcf86cd799439011", nil},
	})
}
